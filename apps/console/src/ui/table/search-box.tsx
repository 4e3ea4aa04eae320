import { longestSearch } from '@grove/contract/page.rules'
import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

interface SearchBoxProps {
  label: string
  value: string
  onChange: (value: string) => void
}

const pause = 250

/** Searches when the typing pauses; Enter searches at once, Escape clears. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState(value)
  const reported = useRef(value)

  // Back, Forward and "Clear" change the value from outside.
  useEffect(() => {
    if (value !== reported.current) setTyped(value)
    reported.current = value
  }, [value])

  const report = (text: string) => {
    if (text === reported.current) return
    reported.current = text
    onChange(text)
  }

  const reportAfterPause = useEffectEvent(() => report(typed.trim()))
  useEffect(() => {
    if (typed.trim() === reported.current) return
    const timer = setTimeout(reportAfterPause, pause)
    return () => clearTimeout(timer)
  }, [typed])

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
        maxLength={longestSearch}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') report(typed.trim())
          if (event.key === 'Escape') setTyped('')
        }}
      />
    </div>
  )
}
