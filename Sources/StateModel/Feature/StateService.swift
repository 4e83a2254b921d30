/// The only code that changes the state of a feature. Its stored actions are the actions of the feature, by their
/// names.
public protocol StateService: SendableMetatype {}
