CREATE TABLE `record_list` (
	`team` integer NOT NULL,
	`record` integer NOT NULL,
	PRIMARY KEY(`team`, `record`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER `record_listed` AFTER INSERT ON `record` BEGIN
	INSERT OR IGNORE INTO `record_list` (`team`, `record`) VALUES (new.`team`, new.`rid`);
END;
