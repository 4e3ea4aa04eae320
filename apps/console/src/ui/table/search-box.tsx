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
  const told = useRef(value)

  // Back, Forward and "Clear the filters" change the value from outside.
  useEffect(() => {
    if (value !== told.current) setTyped(value)
    told.current = value
  }, [value])

  const notifyNextPage = (text: string) => {
    if (text === told.current) return
    told.current = text
    onChange(text)
  }

  const tellAfterPause = useEffectEvent(() => notifyNextPage(typed.trim()))
  useEffect(() => {
    if (typed.trim() === told.current) return
    const timer = setTimeout(tellAfterPause, pause)
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <div className="search-box">
      <Search size={16} aria-hidden />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') notifyNextPage(typed.trim())
          if (event.key === 'Escape') setTyped('')
        }}
      />
    </div>
  )
}
