import type { OperationResponse } from '../contract/contract.js'
import type { AppOptions, RequestContext } from './request-context.js'

export function selectPlane(
  context: RequestContext,
  { control, service }: AppOptions,
): OperationResponse | undefined | Promise<undefined> {
  const { url } = context.koa
  context.isControl = /^\/__admin(?:[/?]|$)/u.test(url)
  if (!context.isControl) {
    context.plane = service().plane
    return undefined
  }
  if (/^\/__admin(?:\?|$)/u.test(url))
    return { status: 308, headers: { location: `${context.basePath}/__admin/` }, mediaType: '', body: undefined }
  return selectControlPlane(context, control)
}

async function selectControlPlane(context: RequestContext, control: AppOptions['control']): Promise<undefined> {
  context.plane = await control()
}
