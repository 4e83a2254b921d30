/// The views of a feature. Its stored observables are the views, by their names.
public protocol ViewModel: SendableMetatype {}
