ALTER TABLE `background_job` ADD `collecting` text;--> statement-breakpoint
ALTER TABLE `background_job` ADD `collected_to` integer;--> statement-breakpoint
ALTER TABLE `background_job` ADD `cancelled_because` text;