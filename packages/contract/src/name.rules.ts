/**
 * Characters that names must not contain, since a reader cannot see them: control characters, line
 * ends, bidirectional controls (UAX #9: U+202E shows "gnp.exe" as "exe.png"), and zero-width ones.
 * Joiners are allowed where writing needs them: in emoji, and in scripts such as Persian.
 */
const hidden =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])(?<!(?![\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}])[\p{L}\p{M}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{Extended_Pictographic}])/gu

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * On one line, without what surrounds it, and composed: "é" is one character however it was typed.
 * A few old characters become longer when composed; they stay, so that no name outgrows its limit.
 */
export function normaliseName(text: string): string {
  const composed = text.normalize('NFC')
  const shorter = composed.length > text.length ? text : composed
  return shorter.replaceAll(/[\p{Zs}\t\r\n]+/gu, ' ').trim()
}

/** Whether a name can be read as it is stored. */
export const isReadableName = (text: string): boolean =>
  visible.test(text) && text.search(hidden) === -1

/** The characters of a name that a reader sees, and can type. */
export const plainName = (text: string): string => normaliseName(text.replaceAll(hidden, ''))

/** The `name` format of the schemas. A blank name is refused like a missing one. */
export const isNameOrBlank = (text: string): boolean => {
  const name = normaliseName(text)
  return name === '' || isReadableName(name)
}
