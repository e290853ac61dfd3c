//! A model of the write path for tables, of which the checker visits every reachable state. It models the rules of the log, and none of the code.

mod one_log;
