// One import suffices for the file of a feature: it sees the reactive core and JSON too.
@_exported public import JSON
@_exported public import Reactive
