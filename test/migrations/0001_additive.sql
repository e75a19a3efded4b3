-- A second migration as later ones have to be: additive, so that the code before it goes on working.
ALTER TABLE `process` ADD `priority` integer;
--> statement-breakpoint
ALTER TABLE `procedure` ADD `colour` text DEFAULT 'grey' NOT NULL;
--> statement-breakpoint
ALTER TABLE `message` ADD `cost` integer;
--> statement-breakpoint
CREATE TABLE `process_note` (
	`process` integer NOT NULL,
	`no` integer NOT NULL,
	`team` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`process`, `no`)
);
--> statement-breakpoint
CREATE INDEX `process_note_team` ON `process_note` (`team`);
