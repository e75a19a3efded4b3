CREATE TABLE `api_key` (
	`id` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`role` text NOT NULL,
	`user` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	`replaced_by` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_key_hash` ON `api_key` (`hash`);
--> statement-breakpoint
CREATE INDEX `api_key_team` ON `api_key` (`team`,`id`);
--> statement-breakpoint
CREATE TABLE `team` (
	`no` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`short_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`event_feed_since` integer,
	`due_scanned_to` integer,
	`due_notified_to` integer,
	`erasing_at` integer,
	`last_erasure_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `team_id_unique` ON `team` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `team_shortId_unique` ON `team` (`short_id`);
--> statement-breakpoint
CREATE INDEX `team_event_feed` ON `team` (`no`) WHERE event_feed_since IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `background_job` (
	`no` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`type` text NOT NULL,
	`procedure` text,
	`completion_status` text NOT NULL,
	`total` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`cursor` integer DEFAULT 0 NOT NULL,
	`unfinished` text DEFAULT '[]' NOT NULL,
	`outstanding` integer DEFAULT 0 NOT NULL,
	`invalid` integer DEFAULT 0 NOT NULL,
	`in_progress` integer DEFAULT 0 NOT NULL,
	`in_progress_to` integer DEFAULT 0 NOT NULL,
	`success` integer DEFAULT 0 NOT NULL,
	`error` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	`give_up_batch_size` integer DEFAULT 0 NOT NULL,
	`created_by` text NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer DEFAULT 0 NOT NULL,
	`completed_at` integer DEFAULT 0 NOT NULL,
	`start_at` integer,
	`retry_of` text,
	`first_job` text,
	`is_dry_run` integer DEFAULT 0 NOT NULL,
	`apply_of` text,
	`undo_of` text,
	`retry_selection` text,
	`wake_at` integer NOT NULL,
	`paused_by` integer,
	`paused_because` text,
	`paused_at` integer,
	`interrupted_at` integer,
	`archived_at` integer,
	`collecting` text,
	`collected_to` integer,
	`cancelled_because` text,
	`queue` text,
	`columns` text
);
--> statement-breakpoint
CREATE INDEX `background_job_team` ON `background_job` (`team`);
--> statement-breakpoint
CREATE INDEX `background_job_status` ON `background_job` (`team`,`completion_status`);
--> statement-breakpoint
CREATE INDEX `background_job_wake` ON `background_job` (`wake_at`) WHERE completed_at = 0;
--> statement-breakpoint
CREATE INDEX `background_job_turn` ON `background_job` (`team`,`queue`) WHERE completed_at = 0 AND completion_status = 'IN_PROGRESS';
--> statement-breakpoint
CREATE UNIQUE INDEX `background_job_apply` ON `background_job` (`team`,`apply_of`) WHERE apply_of IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `background_job_retries` ON `background_job` (`team`,`first_job`) WHERE first_job IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `background_job_undos` ON `background_job` (`team`,`undo_of`) WHERE undo_of IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `background_job_paused` ON `background_job` (`paused_by`) WHERE paused_by IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `chunk_removal` (
	`team` integer NOT NULL,
	`job` integer NOT NULL,
	`due` integer NOT NULL,
	`object` text,
	PRIMARY KEY(`team`, `job`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `dry_run_process` (
	`team` integer NOT NULL,
	`job` integer NOT NULL,
	`rid` integer NOT NULL,
	`primary_key` text,
	`row` blob NOT NULL,
	PRIMARY KEY(`team`, `job`, `rid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `dry_run_process_key` ON `dry_run_process` (`team`,`job`,`primary_key`) WHERE primary_key IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `job_chunk` (
	`team` integer NOT NULL,
	`job` integer NOT NULL,
	`first` integer NOT NULL,
	`count` integer NOT NULL,
	`invalid` integer NOT NULL,
	`entries` text NOT NULL,
	PRIMARY KEY(`team`, `job`, `first`)
);
--> statement-breakpoint
CREATE TABLE `job_outcome` (
	`team` integer NOT NULL,
	`job` integer NOT NULL,
	`first` integer NOT NULL,
	`offset` integer NOT NULL,
	`invalid` integer NOT NULL,
	`success` integer NOT NULL,
	`error` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`outcomes` text NOT NULL,
	PRIMARY KEY(`team`, `job`, `first`, `offset`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `record_erasure` (
	`record` integer PRIMARY KEY NOT NULL,
	`erasure` integer NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`by` text NOT NULL,
	`everywhere` integer DEFAULT false NOT NULL,
	`phones` text NOT NULL,
	`before` integer NOT NULL,
	`process` integer,
	`message` integer,
	`event` integer,
	`trash` integer DEFAULT false NOT NULL,
	`trash_proc` integer DEFAULT 0 NOT NULL,
	`trash_at` integer DEFAULT 0 NOT NULL,
	`trash_rid` integer DEFAULT 0 NOT NULL,
	`done` integer DEFAULT false NOT NULL,
	`processes` integer DEFAULT 0 NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_erasure_team` ON `record_erasure` (`team`,`erasure`);
--> statement-breakpoint
CREATE TABLE `record_move` (
	`record` integer PRIMARY KEY NOT NULL,
	`to_record` integer NOT NULL,
	`team` integer NOT NULL,
	`by` text NOT NULL,
	`processes` integer DEFAULT 0 NOT NULL,
	`messages` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_move_to` ON `record_move` (`team`,`to_record`);
--> statement-breakpoint
CREATE TABLE `maintenance_position` (
	`task` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`position` text NOT NULL,
	`rest_until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `erased_process` (
	`erasure` integer NOT NULL,
	`process` integer NOT NULL,
	`team` integer NOT NULL,
	`proc` integer NOT NULL,
	`key` text,
	`event` integer,
	PRIMARY KEY(`team`, `erasure`, `process`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `erased_process_event` ON `erased_process` (`team`,`erasure`,`event`) WHERE event IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `erased_process_key` ON `erased_process` (`team`,`erasure`,`proc`,`key`) WHERE key IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `erasure_sweep` (
	`id` text PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`at` integer NOT NULL,
	`names` text NOT NULL,
	`erasure` integer,
	`process` integer,
	`event` integer,
	`webhook` integer,
	`delivery` integer DEFAULT 0 NOT NULL,
	`last_job` integer NOT NULL,
	`job` integer DEFAULT 0 NOT NULL,
	`entry` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erasure_sweep_team` ON `erasure_sweep` (`team`,`id`);
--> statement-breakpoint
CREATE TABLE `event` (
	`team` integer NOT NULL,
	`sequence` integer NOT NULL,
	`count` integer NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`proc` integer,
	`by` blob NOT NULL,
	`after` blob NOT NULL,
	`before` blob,
	PRIMARY KEY(`team`, `sequence`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`team` integer NOT NULL,
	`day` integer NOT NULL,
	`lookup` text NOT NULL,
	`fingerprint` text NOT NULL,
	`outcome` blob NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`team`, `day`, `lookup`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `opt_out` (
	`team` integer NOT NULL,
	`phone` text NOT NULL,
	`since` integer NOT NULL,
	`message` text NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`team`, `phone`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `message` (
	`rid` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`plugin` integer NOT NULL,
	`sender` text NOT NULL,
	`graph_version` text NOT NULL,
	`phone` text NOT NULL,
	`process` text,
	`template` text,
	`data_type` text NOT NULL,
	`text` text NOT NULL,
	`request` blob NOT NULL,
	`delivery` integer NOT NULL,
	`external_id` text,
	`error` blob,
	`history` blob NOT NULL,
	`user` text NOT NULL,
	`source_id` text NOT NULL,
	`job` integer,
	`entry` integer,
	`attempt` integer,
	`resend_of` text,
	`resent_as` text,
	`updated_at` integer NOT NULL,
	`received` blob
);
--> statement-breakpoint
CREATE INDEX `message_process` ON `message` (`team`,`process`) WHERE process IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `message_phone` ON `message` (`team`,`phone`);
--> statement-breakpoint
CREATE INDEX `message_external` ON `message` (`external_id`) WHERE external_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `message_pending` ON `message` (`delivery`) WHERE delivery = 0;
--> statement-breakpoint
CREATE UNIQUE INDEX `message_attempt` ON `message` (`job`,`entry`,`attempt`) WHERE job IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `plugin` (
	`no` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`name` text NOT NULL,
	`business_account_id` text NOT NULL,
	`phone_numbers` text NOT NULL,
	`graph_version` text NOT NULL,
	`default_language` text,
	`access_token` text NOT NULL,
	`app_secret` text NOT NULL,
	`verify_token` text NOT NULL,
	`stopped_at` integer,
	`stopped_by` integer,
	`status_message` text,
	`stopped_senders` text DEFAULT '{}' NOT NULL,
	`templates_synced_at` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plugin_id_unique` ON `plugin` (`id`);
--> statement-breakpoint
CREATE INDEX `plugin_team` ON `plugin` (`team`) WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE TABLE `template` (
	`team` integer NOT NULL,
	`plugin` integer NOT NULL,
	`id` text NOT NULL,
	`external_id` text NOT NULL,
	`name` text NOT NULL,
	`language` text NOT NULL,
	`category` text NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`parameter_format` text NOT NULL,
	`components` blob NOT NULL,
	`synced_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`plugin`, `name`, `language`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `procedure` (
	`no` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`short_id` text NOT NULL,
	`version` integer NOT NULL,
	`definition` blob NOT NULL,
	`indexing_below` integer,
	`unfit_slots` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `procedure_id_unique` ON `procedure` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `procedure_short_id` ON `procedure` (`team`,`short_id`);
--> statement-breakpoint
CREATE INDEX `procedure_indexing` ON `procedure` (`indexing_below`) WHERE indexing_below IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `process` (
	`rid` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`proc` integer NOT NULL,
	`team` integer NOT NULL,
	`status` integer NOT NULL,
	`state` text NOT NULL,
	`assigned_to` text,
	`next_action_at` integer,
	`created_by` text,
	`completed_at` integer DEFAULT 0 NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`record` integer,
	`primary_key` text,
	`s1` blob,
	`s2` blob,
	`s3` blob,
	`s4` blob,
	`s5` blob,
	`s6` blob,
	`s7` blob,
	`s8` blob,
	`s9` blob,
	`s10` blob,
	`s11` blob,
	`s12` blob,
	`s13` blob,
	`s14` blob,
	`s15` blob,
	`s16` blob,
	`words` blob,
	`longest_list` integer,
	`data` blob NOT NULL,
	`last_event` integer,
	`notified_due_at` integer
);
--> statement-breakpoint
CREATE INDEX `process_list` ON `process` (`proc`);
--> statement-breakpoint
CREATE INDEX `process_large` ON `process` (`proc`) WHERE length(data) + 512 * ifnull(longest_list, 0) > 4096;
--> statement-breakpoint
CREATE INDEX `process_status` ON `process` (`proc`,`status`);
--> statement-breakpoint
CREATE INDEX `process_state` ON `process` (`proc`,`state`);
--> statement-breakpoint
CREATE INDEX `process_assigned_to` ON `process` (`proc`,`assigned_to`) WHERE assigned_to IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_record` ON `process` (`record`,`proc`) WHERE record IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_next_action_at` ON `process` (`proc`,`next_action_at`) WHERE next_action_at IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `process_primary_key` ON `process` (`proc`,`primary_key`);
--> statement-breakpoint
CREATE INDEX `process_s1` ON `process` (`proc`,`s1`) WHERE s1 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s2` ON `process` (`proc`,`s2`) WHERE s2 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s3` ON `process` (`proc`,`s3`) WHERE s3 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s4` ON `process` (`proc`,`s4`) WHERE s4 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s5` ON `process` (`proc`,`s5`) WHERE s5 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s6` ON `process` (`proc`,`s6`) WHERE s6 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s7` ON `process` (`proc`,`s7`) WHERE s7 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s8` ON `process` (`proc`,`s8`) WHERE s8 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s9` ON `process` (`proc`,`s9`) WHERE s9 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s10` ON `process` (`proc`,`s10`) WHERE s10 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s11` ON `process` (`proc`,`s11`) WHERE s11 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s12` ON `process` (`proc`,`s12`) WHERE s12 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s13` ON `process` (`proc`,`s13`) WHERE s13 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s14` ON `process` (`proc`,`s14`) WHERE s14 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s15` ON `process` (`proc`,`s15`) WHERE s15 IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `process_s16` ON `process` (`proc`,`s16`) WHERE s16 IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `process_trash` (
	`rid` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`proc` integer NOT NULL,
	`team` integer NOT NULL,
	`deleted_at` integer NOT NULL,
	`deleted_by` text,
	`primary_key` text,
	`record` integer,
	`row` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `process_trash_list` ON `process_trash` (`proc`,`deleted_at`);
--> statement-breakpoint
CREATE INDEX `process_trash_key` ON `process_trash` (`proc`,`primary_key`,`deleted_at`) WHERE primary_key IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `process_value` (
	`proc` integer NOT NULL,
	`slot` integer NOT NULL,
	`value` blob NOT NULL,
	`rid` integer NOT NULL,
	`team` integer NOT NULL,
	PRIMARY KEY(`proc`, `slot`, `value`, `rid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `erased_identity` (
	`team` integer NOT NULL,
	`hash` text NOT NULL,
	`erased_at` integer NOT NULL,
	PRIMARY KEY(`team`, `hash`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `erased_identity_erased_at` ON `erased_identity` (`erased_at`);
--> statement-breakpoint
CREATE TABLE `record` (
	`rid` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`data` blob NOT NULL,
	`phone_name` text,
	`email_name` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_event` integer,
	`merged_into` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_team` ON `record` (`team`,`merged_into`);
--> statement-breakpoint
CREATE TABLE `record_identity` (
	`team` integer NOT NULL,
	`kind` integer NOT NULL,
	`value` text NOT NULL,
	`record` integer NOT NULL,
	PRIMARY KEY(`team`, `kind`, `value`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `record_word` (
	`team` integer NOT NULL,
	`word` text NOT NULL,
	`record` integer NOT NULL,
	PRIMARY KEY(`team`, `word`, `record`)
) WITHOUT ROWID;
--> statement-breakpoint
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
--> statement-breakpoint
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
CREATE UNIQUE INDEX `passkey_credential_unique` ON `passkey` (`credential`);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_challenge_unique` ON `passkey` (`challenge`);
--> statement-breakpoint
CREATE INDEX `passkey_user` ON `passkey` (`team`,`user`,`id`);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `session_hash_unique` ON `session` (`hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_challenge_unique` ON `session` (`challenge`);
--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`team`,`user`,`id`);
--> statement-breakpoint
CREATE INDEX `session_expiry` ON `session` (`expires_at`);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `sign_in_link_hash_unique` ON `sign_in_link` (`hash`);
--> statement-breakpoint
CREATE INDEX `sign_in_link_user` ON `sign_in_link` (`team`,`user`,`id`);
--> statement-breakpoint
CREATE INDEX `sign_in_link_expiry` ON `sign_in_link` (`expires_at`);
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
--> statement-breakpoint
CREATE TABLE `user` (
	`no` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`username` text NOT NULL,
	`first_name` text DEFAULT '' NOT NULL,
	`last_name` text DEFAULT '' NOT NULL,
	`middle_name` text DEFAULT '' NOT NULL,
	`display_name` text DEFAULT '' NOT NULL,
	`display_name_set` integer DEFAULT false NOT NULL,
	`role` text NOT NULL,
	`timezone` text DEFAULT '+0000' NOT NULL,
	`manager` text,
	`email_id` text,
	`email` text,
	`normalized_email` text,
	`is_active` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_id_unique` ON `user` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_username` ON `user` (`team`,`username`);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email` ON `user` (`team`,`normalized_email`);
--> statement-breakpoint
CREATE INDEX `user_address` ON `user` (`normalized_email`) WHERE normalized_email IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `user_manager` ON `user` (`team`,`manager`);
--> statement-breakpoint
CREATE TABLE `webhook` (
	`no` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`team` integer NOT NULL,
	`url` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`types` text,
	`procedures` text,
	`enabled` integer DEFAULT true NOT NULL,
	`order` text DEFAULT 'any' NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_id_unique` ON `webhook` (`id`);
--> statement-breakpoint
CREATE INDEX `webhook_team` ON `webhook` (`team`) WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE TABLE `webhook_delivery` (
	`team` integer NOT NULL,
	`webhook` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`count` integer NOT NULL,
	`failed` integer NOT NULL,
	`attempts` blob NOT NULL,
	PRIMARY KEY(`webhook`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `webhook_progress` (
	`webhook` integer PRIMARY KEY NOT NULL,
	`team` integer NOT NULL,
	`position` integer NOT NULL,
	`waiting` text DEFAULT '[]' NOT NULL,
	`due_at` integer,
	`held_until` integer,
	`failing_since` integer,
	`revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_replay` (
	`team` integer NOT NULL,
	`webhook` integer NOT NULL,
	`id` text NOT NULL,
	`position` integer NOT NULL,
	`last` integer NOT NULL,
	`only` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`webhook`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE VIRTUAL TABLE `process_search` USING fts5(words, content='', contentless_delete=1, tokenize='ascii');
