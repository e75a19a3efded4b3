CREATE TABLE `record_erasure` (
	`record` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`phones` text NOT NULL,
	`before` integer NOT NULL,
	`process` integer,
	`message` integer,
	`processes` integer DEFAULT 0 NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL
);
