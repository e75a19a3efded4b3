CREATE TABLE `opt_out` (
	`team` integer NOT NULL,
	`phone` text NOT NULL,
	`since` integer NOT NULL,
	`message` text NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`team`, `phone`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `plugin` ADD `default_language` text;