//! `discreet.release/1`, written by one serializer.
