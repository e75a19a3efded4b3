ALTER TABLE `team` ADD `due_looked_to` integer;--> statement-breakpoint
ALTER TABLE `team` ADD `due_told_to` integer;--> statement-breakpoint
CREATE INDEX `team_event_feed` ON `team` (`no`) WHERE event_feed_since IS NOT NULL;