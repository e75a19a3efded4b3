CREATE TABLE `webhook` (
	`no` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`url` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`types` text,
	`procedures` text,
	`enabled` integer DEFAULT true NOT NULL,
	`order` text DEFAULT 'any' NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_id_unique` ON `webhook` (`id`);--> statement-breakpoint
CREATE INDEX `webhook_team` ON `webhook` (`team`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE TABLE `webhook_delivery` (
	`team` integer NOT NULL,
	`webhook` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`count` integer NOT NULL,
	`failed` integer NOT NULL,
	`attempts` blob NOT NULL,
	PRIMARY KEY(`webhook`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `webhook_progress` (
	`webhook` integer PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`position` integer NOT NULL,
	`waiting` text DEFAULT '[]' NOT NULL,
	`due_at` integer,
	`held_until` integer,
	`failing_since` integer,
	`revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_replay` (
	`team` integer NOT NULL,
	`webhook` integer NOT NULL,
	`id` text NOT NULL,
	`position` integer NOT NULL,
	`last` integer NOT NULL,
	`only` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`webhook`, `id`)
) WITHOUT ROWID;
