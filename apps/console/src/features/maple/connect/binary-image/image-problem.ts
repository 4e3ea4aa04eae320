import type { Verdict } from '@grove/contract/maple/connect/binary-image.rules'
import type { McubootErrorCode } from '@grove/contract/maple/connect/mcuboot.rules'
import { useLingui } from '@lingui/react/macro'
import { ApiProblem } from '../../../../api/problem.ts'
import { problemText } from '../../../../api/problem-text.ts'

/** What is wrong with an image, and at which byte: as parsed here or on the server. */
export function useImageProblem() {
  const { t, i18n } = useLingui()
  const texts: Record<McubootErrorCode | Verdict, string> = {
    cutOff: t`The file ends too early.`,
    wrongMagic: t`The file does not begin like an MCUboot image.`,
    wrongHeaderSize: t`The header is too short.`,
    emptyProgram: t`The image has no program.`,
    wrongTlvMagic: t`The tags are missing.`,
    wrongTlvSize: t`The size of the tags differs from the declared size.`,
    wrongTlvLength: t`The length of a value does not fit its tag.`,
    tooManyTlvs: t`There are too many tags.`,
    missingHash: t`The image has no SHA-256.`,
    repeatedHash: t`The image has more than one SHA-256.`,
    wrongHash: t`The image’s SHA-256 differs from the one it declares: it is damaged.`,
    unsigned: t`The image has no signature that can be checked: ECDSA P-256, RSA-2048 or Ed25519.`,
    unknownKey: t`The image is not signed with any of your signing keys. Add the public key first.`,
    wrongSignature: t`The signature is wrong: somebody else signed the image, or it was changed.`,
  }
  const textOf = (
    code: string,
    { offset, expected, found }: Partial<Record<string, string | number>>,
  ) => {
    const text = (texts as Record<string, string>)[code]
    if (text === undefined) return undefined
    const place = offset === undefined ? '' : t`Byte ${offset}.`
    const wanted = expected === undefined ? '' : t`Expected: ${expected}.`
    const was = found === undefined ? '' : t`Found: ${found}.`
    return [text, place, wanted, was].filter(Boolean).join(' ')
  }
  return (error: unknown): string => {
    if (error instanceof ApiProblem && error.code === 'already_exists')
      return t`This file has already been uploaded. It is in the list of images.`
    const field = error instanceof ApiProblem ? error.fields[0] : undefined
    if (field) return textOf(field.code, field.params ?? {}) ?? problemText(error, i18n)
    if (error instanceof Error && error.name === 'McubootError') {
      const { code, ...params } = error as unknown as { code: string; offset: number }
      return textOf(code, params) ?? error.message
    }
    return problemText(error, i18n)
  }
}
