import { useState } from 'react'

/** A list that is typed as one text: what was typed stays while it means the list. */
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
