CREATE VIRTUAL TABLE `process_search_term` USING fts5vocab('process_search', 'instance');
