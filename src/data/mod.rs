//! Bytes to exact second moments.
