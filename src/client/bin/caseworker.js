#!/usr/bin/env node
// Kept in the repository, because npm links a workspace's command before the build has run.
import '../dist/command-line.js'
