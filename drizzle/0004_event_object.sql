CREATE TABLE `event_object` (
	`team` integer NOT NULL,
	`last` integer NOT NULL,
	`first` integer NOT NULL,
	`no` integer NOT NULL,
	`bytes` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`days` text NOT NULL,
	`kept_from` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`team`, `last`)
) WITHOUT ROWID;
