import { useRef } from 'react'

interface FileChoice {
  /** As the attribute of an `input` has it: `.cap`. */
  accept: string
  multiple?: boolean
  'data-testid'?: string
  onFiles: (files: File[]) => void
}

/** The browser's own way to choose files: what opens it, and the element that belongs to it. */
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
          // The same file chosen again is a change too.
          target.value = ''
        }}
      />
    ),
  }
}
