import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { paced } from './paced.ts'
import { maxTypedLength, searchTextOf } from './search-text.ts'

interface SearchBoxProps {
  label: string
  value: string
  onChange: (value: string) => void
}

const pauseMs = 100

/** Searches while the reader types: on the first key, then at most ten times a second. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState(value)
  const reported = useRef(value)
  /** Reported, but not yet back from the URL. */
  const pending = useRef<string[]>([])

  useEffect(() => {
    const place = pending.current.indexOf(value)
    pending.current = place < 0 ? [] : pending.current.slice(place + 1)
    // Back, Forward and "Clear" change the value from outside; what was typed comes back late.
    if (place >= 0 || value === reported.current) return
    reported.current = value
    setTyped(value)
  }, [value])

  const report = useEffectEvent((text: string) => {
    if (text === reported.current) return
    reported.current = text
    pending.current.push(text)
    onChange(text)
  })
  const pace = useRef<ReturnType<typeof paced<string>>>(null)
  useEffect(() => {
    const paces = paced((text: string) => report(text), pauseMs)
    pace.current = paces
    return () => paces.cancel()
  }, [])

  const type = (text: string) => {
    setTyped(text)
    pace.current?.call(searchTextOf(text))
  }
  return (
    <div className="search-box">
      <Search size={16} aria-hidden />
      <input
        type="search"
        className="input"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={maxTypedLength}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') pace.current?.flush()
          if (event.key === 'Escape') type('')
        }}
      />
    </div>
  )
}
