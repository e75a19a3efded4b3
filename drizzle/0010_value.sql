CREATE TABLE `process_value` (
	`proc` integer NOT NULL,
	`slot` integer NOT NULL,
	`value` blob NOT NULL,
	`rid` integer NOT NULL,
	`team` integer NOT NULL,
	PRIMARY KEY(`proc`, `slot`, `value`, `rid`)
) WITHOUT ROWID;
