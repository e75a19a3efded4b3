/** Large tables get an index in steps, never in a migration: it would hold up everybody. */
const LARGE_TABLES = 'process|message|record|job_chunk|job_outcome|process_trash'

export const splitStatements = (migration: string): string[] =>
  migration.split('--> statement-breakpoint').map(each => each.replace(/^--.*$/gm, '').trim())

/** What the code before the migration could not live with, or what takes minutes on gigabytes. */
export const unsafeStatements = (statements: readonly string[]): string[] =>
  statements.filter(
    each =>
      /\b(DROP|RENAME|REPLACE|DELETE|UPDATE)\b/i.test(each) ||
      /^\s*PRAGMA/i.test(each) ||
      /^\s*INSERT/i.test(each) ||
      /`__new_/.test(each) ||
      new RegExp(`CREATE (UNIQUE )?INDEX .* ON \`(${LARGE_TABLES})\``, 'i').test(each) ||
      (/\bADD\b/i.test(each) && /NOT NULL/i.test(each) && !/DEFAULT/i.test(each)),
  )
