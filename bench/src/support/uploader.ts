import { createSend, jsonOf } from './http-client.ts'
import { createSignIn } from './sign-in.ts'

export interface Uploader {
  /** Uploads a package to one of the versions and waits for its report; returns milliseconds. */
  send: (place: number, data: Buffer, isValid?: boolean) => Promise<number>
}

const boundary = '----grove-bench'

/** A product of the sample developer with some versions, to upload packages to. */
export async function createUploader(url: string, versions: number): Promise<Uploader> {
  const send = createSend(url)
  // An account may upload two packages at once.
  const signIns = [createSignIn(send, 'developer'), createSignIn(send, 'admin')]
  const headers = await signIns[0]?.()
  const create = async (path: string, body: object) =>
    jsonOf(await send('POST', path, { headers, body }))
  const translations = [{ localeCode: 'en-US', title: 'Bench' }]
  const { productId }: { productId: string } = await create('/api/developer/product', {
    translations,
  })
  const ids: string[] = []
  for (let index = 0; index < versions; index += 1) {
    const version: { productVersionId: string } = await create('/api/developer/productVersion', {
      productId,
      version: `1.${index}.0`,
      translations,
    })
    ids.push(version.productVersionId)
  }
  return {
    send: async (place, data, isValid = true) => {
      const answer = await send('POST', '/api/storage/productVersion/miniApp', {
        headers: {
          ...(await signIns[place % 2]?.()),
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
        body: multipart(ids[place] ?? '', data),
      })
      const { lastRefused }: { lastRefused: object | null } = jsonOf(answer)
      if ((lastRefused === null) !== isValid)
        throw new Error(`Another report was expected: ${answer.body.toString()}`)
      return answer.milliseconds
    },
  }
}

const multipart = (productVersionId: string, data: Buffer) =>
  Buffer.concat([
    Buffer.from(
      [
        `--${boundary}`,
        'content-disposition: form-data; name="productVersionId"',
        '',
        productVersionId,
        `--${boundary}`,
        'content-disposition: form-data; name="file"; filename="bench.zip"',
        'content-type: application/zip',
        '',
        '',
      ].join('\r\n'),
    ),
    data,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
