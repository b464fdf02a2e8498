import type { Step } from './request-context.js'

export const selectPlane: Step = (context, { control, service }) => {
  const { url } = context.koa
  context.isControl = /^\/__admin(?:[/?]|$)/u.test(url)
  if (!context.isControl) {
    context.plane = service().plane
    return undefined
  }
  if (/^\/__admin(?:\?|$)/u.test(url))
    return { status: 308, headers: { location: `${context.basePath}/__admin/` }, mediaType: '', body: undefined }
  return control().then((plane) => {
    context.plane = plane
    return undefined
  })
}
