import HeadwaterServer
import __Name__Model

Headwater.serve(features: [model.feature()])
