CREATE TABLE `request_batch` (
	`team` integer NOT NULL,
	`at` integer NOT NULL,
	`batch` text NOT NULL,
	`count` integer NOT NULL,
	`failed` integer NOT NULL,
	`lines` text NOT NULL,
	PRIMARY KEY(`team`, `at`, `batch`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `usage_day` (
	`team` integer NOT NULL,
	`day` integer NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`rows_read` integer DEFAULT 0 NOT NULL,
	`rows_written` integer DEFAULT 0 NOT NULL,
	`database_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`team`, `day`)
) WITHOUT ROWID;
