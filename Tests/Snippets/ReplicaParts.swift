import StateModel

// skip: an extension cannot be nested in the surroundings; LocalSpace has such a state
