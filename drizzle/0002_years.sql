CREATE TABLE `chore_position` (
	`chore` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`position` text NOT NULL,
	`rest_until` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `background_job` ADD `archived_at` integer;--> statement-breakpoint
ALTER TABLE `chunk_removal` ADD `object` text;