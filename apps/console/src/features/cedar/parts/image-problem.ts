import { megabytes, type ImageLimits } from '@grove/contract/cedar/storage.rules'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { problemText } from '../../../api/problem-text.ts'
import { ApiProblem, NetworkProblem } from '../../../api/problem.ts'
import { FileUnreadable } from './use-file-upload.ts'

export const imageTypes = 'image/png,image/jpeg'

/** Why the platform would refuse the image; the platform checks more and has the last word. */
export async function refusalOf(file: File, limits: ImageLimits): Promise<ApiProblem | undefined> {
  const refused = (code: string) =>
    new ApiProblem({ code: 'image_refused', errors: [{ path: 'file', code, message: '' }] }, 422)
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  const isPng = head[0] === 0x89 && head[1] === 0x50 && head[2] === 0x4e && head[3] === 0x47
  const isJpeg = head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff
  if (!isPng && !isJpeg) return refused('type')
  if (file.size > limits.bytes) return refused('bytes')
  const size = await sizeOf(file)
  if (!size) return refused('damaged')
  const [short, long] = size
  if (short < limits.leastSide || long > limits.maxSide) return refused('size')
  return long / short > limits.maxRatio ? refused('ratio') : undefined
}

async function sizeOf(file: File): Promise<[short: number, long: number] | undefined> {
  try {
    const { width, height } = await createImageBitmap(file)
    return [Math.min(width, height), Math.max(width, height)]
  } catch {
    return undefined
  }
}

/** Why an image was not uploaded, and how to fix it. */
export function imageProblemText(error: unknown, limits: ImageLimits, i18n: I18n): string {
  if (error instanceof FileUnreadable)
    return i18n._(msg`The file changed on the disk. Choose it again.`)
  if (error instanceof NetworkProblem)
    return i18n._(msg`The connection was lost. Your file is still selected: try again.`)
  if (!(error instanceof ApiProblem)) return problemText(error, i18n)
  const { leastSide, maxSide, maxRatio } = limits
  const size = megabytes(limits.bytes)
  const code = error.code === 'image_refused' ? error.fields[0]?.code : error.code
  switch (code) {
    case 'type':
      return i18n._(msg`This is neither a PNG nor a JPEG image.`)
    case 'animated':
      return i18n._(msg`The image is animated. Choose a still image.`)
    case 'damaged':
      return i18n._(msg`The image cannot be read: the file is damaged.`)
    case 'duplicate':
      return i18n._(msg`This image has already been added.`)
    case 'bytes':
    case 'file_too_large':
      return i18n._(msg`The file is larger than ${size} MB.`)
    case 'size':
      return i18n._(msg`Each side must have ${leastSide} to ${maxSide} pixels.`)
    case 'ratio':
      return maxRatio === 1
        ? i18n._(msg`The image must be square.`)
        : i18n._(msg`The long side may be at most ${maxRatio} times the short one.`)
    default:
      return problemText(error, i18n)
  }
}
