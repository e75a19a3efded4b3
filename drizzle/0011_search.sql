CREATE VIRTUAL TABLE `process_search` USING fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
