import HeadwaterServer

Headwater.serve(features: [feature])
