// The store is the model and what runs it, so a file that imports the store sees the model too.
@_exported public import StateModel
