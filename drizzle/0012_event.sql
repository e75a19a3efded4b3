CREATE TABLE `event` (
	`team` integer NOT NULL,
	`sequence` integer NOT NULL,
	`count` integer NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`proc` integer,
	`by` blob NOT NULL,
	`given` blob NOT NULL,
	`was` blob,
	PRIMARY KEY(`team`, `sequence`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `team` ADD `event_feed_since` integer;--> statement-breakpoint
ALTER TABLE `process` ADD `last_event` integer;--> statement-breakpoint
ALTER TABLE `process` ADD `told_due_at` integer;--> statement-breakpoint
ALTER TABLE `record` ADD `last_event` integer;