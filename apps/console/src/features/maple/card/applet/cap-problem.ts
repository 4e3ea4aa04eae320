import type { CapErrorCode } from '@grove/secure-element/cap/cap-error'
import { useLingui } from '@lingui/react/macro'
import { ApiProblem } from '../../../../api/problem.ts'
import { problemText } from '../../../../api/problem-text.ts'

/** What is wrong with a file, and where: as parsed here or on the server. */
export function useCapProblem() {
  const { t, i18n } = useLingui()
  const texts: Record<CapErrorCode, string> = {
    tooLarge: t`The file is larger than any CAP file.`,
    notZip: t`The file is not a ZIP archive. Every CAP file is one.`,
    unsupportedZip: t`The archive uses a ZIP feature that CAP files do not use.`,
    encrypted: t`The archive is encrypted.`,
    tooManyEntries: t`The archive has too many entries.`,
    duplicateEntry: t`Two entries of the archive have the same name.`,
    corruptEntry: t`An entry of the archive is damaged.`,
    severalPackages: t`The archive has components of more than one package.`,
    missingComponent: t`A component is missing.`,
    wrongTag: t`A component has the wrong tag.`,
    wrongSize: t`The size of a component differs from its contents.`,
    wrongMagic: t`The header is not that of a CAP file.`,
    unsupportedFormat: t`This format of CAP files is not supported.`,
    wrongDirectory: t`The directory lists another size for a component.`,
    wrongAid: t`An AID is too short or too long.`,
    duplicateAid: t`Two applets have the same AID.`,
    cutOff: t`A component ends too early.`,
    leftOver: t`A component has extra bytes after its contents.`,
  }
  const textOf = (
    code: string,
    { entry, expected, found }: Partial<Record<string, string | number>>,
  ) => {
    const text = (texts as Record<string, string>)[code]
    if (text === undefined) return undefined
    const place = entry === undefined ? '' : t`Location: ${entry}.`
    const was = found === undefined ? '' : t`Found: ${found}.`
    const wanted = expected === undefined ? '' : t`Expected: ${expected}.`
    return [text, place, wanted, was].filter(Boolean).join(' ')
  }
  return (error: unknown): string => {
    if (error instanceof ApiProblem && error.code === 'already_exists')
      return t`This file has already been uploaded. It is in the list of applets.`
    const field = error instanceof ApiProblem ? error.fields[0] : undefined
    if (field) return textOf(field.code, field.params ?? {}) ?? problemText(error, i18n)
    if (error instanceof Error && error.name === 'CapError') {
      const { code, ...params } = error as unknown as { code: string; entry?: string }
      return textOf(code, params) ?? error.message
    }
    return problemText(error, i18n)
  }
}
