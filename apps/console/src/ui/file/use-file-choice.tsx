import { useRef } from 'react'

interface FileChoice {
  /** As in the `accept` attribute of an `input`: `.cap`. */
  accept: string
  multiple?: boolean
  'data-testid'?: string
  onFiles: (files: File[]) => void
}

/** The browser's file picker: a function that opens it, and the element it needs. */
export function useFileChoice({ onFiles, ...props }: FileChoice) {
  const input = useRef<HTMLInputElement>(null)
  return {
    choose: () => input.current?.click(),
    input: (
      <input
        {...props}
        ref={input}
        type="file"
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Choosing the same file again must count as a change.
          target.value = ''
        }}
      />
    ),
  }
}
