import { useState } from 'react'

/** A list typed as one text: the exact text is kept as long as it parses to the list. */
export function useListText(
  values: readonly string[] = [],
  separator: RegExp,
  onChange: (values: string[]) => void,
) {
  const [typed, setTyped] = useState('')
  const read = (text: string) =>
    text
      .split(separator)
      .map((each) => each.trim())
      .filter((each) => each !== '')
  const isSame = read(typed).join('\n') === values.join('\n')
  return {
    value: isSame ? typed : values.join(', '),
    onChange: ({ target }: { target: { value: string } }) => {
      setTyped(target.value)
      onChange(read(target.value))
    },
  }
}
