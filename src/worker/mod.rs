//! The browser's threads and the messages between them.
