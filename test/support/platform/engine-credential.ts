/** Returns the header with which an engine proves who it is; `secret` is its credential at the platform. */
export function engineAuthorization(secret: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`engine:${secret}`).toString('base64')}` }
}
