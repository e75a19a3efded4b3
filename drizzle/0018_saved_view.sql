CREATE TABLE `saved_view` (
	`id` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`proc` integer NOT NULL,
	`created_by` text NOT NULL,
	`is_shared` integer NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`columns` text NOT NULL,
	`layout` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `saved_view_list` ON `saved_view` (`team`,`is_shared`,`created_by`);