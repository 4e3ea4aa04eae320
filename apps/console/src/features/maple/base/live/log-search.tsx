import { Search } from 'lucide-react'
import { useRef } from 'react'
import { useShortcut } from '../../../../ui/keyboard/shortcuts.ts'

interface LogSearchProps {
  label: string
  text: string
  onChange: (text: string) => void
}

/** Filters on every key: the data is already in the page. */
export function LogSearch({ label, text, onChange }: LogSearchProps) {
  const input = useRef<HTMLInputElement>(null)
  useShortcut({ keys: '/', label }, () => input.current?.focus())
  return (
    <div className="search-box">
      <Search size={16} aria-hidden />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          onChange('')
        }}
      />
    </div>
  )
}
