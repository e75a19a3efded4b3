CREATE TABLE `passkey` (
	`id` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`user` text NOT NULL,
	`name` text NOT NULL,
	`credential` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`challenge` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_credential_unique` ON `passkey` (`credential`);--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_challenge_unique` ON `passkey` (`challenge`);--> statement-breakpoint
CREATE INDEX `passkey_user` ON `passkey` (`team`,`user`);--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`user` text NOT NULL,
	`hash` text NOT NULL,
	`method` text NOT NULL,
	`agent` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`challenge` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_hash_unique` ON `session` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `session_challenge_unique` ON `session` (`challenge`);--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`team`,`user`);--> statement-breakpoint
CREATE INDEX `session_expiry` ON `session` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_link` (
	`id` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`user` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_link_hash_unique` ON `sign_in_link` (`hash`);--> statement-breakpoint
CREATE INDEX `sign_in_link_user` ON `sign_in_link` (`team`,`user`);--> statement-breakpoint
CREATE INDEX `sign_in_link_expiry` ON `sign_in_link` (`expires_at`);