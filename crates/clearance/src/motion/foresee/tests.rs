//! What is foreseen, against what is found without it.
