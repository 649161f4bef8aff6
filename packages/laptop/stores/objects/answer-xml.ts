import type { ServerResponse } from 'node:http'

/** Answers 200 with a document of S3. `inner` is XML, whose texts went through {@link xmlText}. */
export function answerXml(response: ServerResponse, root: string, inner: string): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${root}>`
  response.writeHead(200, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) }).end(body)
}

/** Returns a text as XML writes it between tags. */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
