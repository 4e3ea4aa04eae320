export type MultipartPart =
  | { name: string; value: string }
  | { name: string; fileName: string; data: Buffer; type?: string }

/** A `multipart/form-data` body, written by hand so that a test can break it. */
export function multipart(parts: readonly MultipartPart[]) {
  const boundary = '----grove-test'
  const chunks = parts.flatMap((part) => [
    `--${boundary}\r\ncontent-disposition: form-data; name="${part.name}"`,
    'data' in part
      ? `; filename="${part.fileName}"\r\ncontent-type: ${part.type ?? 'application/octet-stream'}\r\n\r\n`
      : '\r\n\r\n',
    'data' in part ? part.data : part.value,
    '\r\n',
  ])
  const payload = Buffer.concat(
    [...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)),
  )
  return { payload, contentType: `multipart/form-data; boundary=${boundary}` }
}
