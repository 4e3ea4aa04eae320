import { pngFile, qrCode } from './qr-code.ts'

interface Shared {
  title: string
  url: string
}

/**
 * Offers a link to the programs of the reader's device, with its QR code where they take files, and
 * copies it where nothing can be offered. Answers what it did; a sheet that the reader closed is no
 * failure.
 */
export async function shareLink(shared: Shared): Promise<'shared' | 'copied' | 'failed'> {
  try {
    if ('share' in navigator) {
      await navigator.share(await withCode(shared))
      return 'shared'
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return 'shared'
  }
  try {
    await navigator.clipboard.writeText(shared.url)
    return 'copied'
  } catch {
    return 'failed'
  }
}

async function withCode(shared: Shared): Promise<ShareData> {
  const png = await pngFile(qrCode(shared.url))
  const data = { ...shared, files: [new File([png], 'qr-code.png', { type: 'image/png' })] }
  return navigator.canShare(data) ? data : shared
}
