import { pngFile, qrCode } from './qr-code.ts'

interface Shared {
  title: string
  url: string
}

/**
 * Opens the device's share sheet for a link, with its QR code where files are accepted, and copies
 * the link where there is none. Returns what it did; closing the sheet is not a failure.
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
