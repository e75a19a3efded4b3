import { useEffect, useState } from 'react'
import { TextInput } from '../../parts/field.tsx'

const WAIT_MS = 300

/** Words that processes have, asked for once the reader stops typing. The key `/` leads here. */
export function SearchField({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const [told, setTold] = useState(text)
  // Something else has changed the address.
  if (text !== told) {
    setTold(text)
    setTyped(text)
  }
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === told) return
    const timer = setTimeout(() => {
      setTold(wanted)
      onSearch(wanted)
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [typed, told, onSearch])
  return (
    <TextInput
      type="search"
      aria-label="Search words"
      placeholder="Search …  /"
      className="w-64! max-sm:w-full!"
      maxLength={200}
      value={typed}
      onChange={event => setTyped(event.target.value)}
      onKeyDown={event => event.key === 'Escape' && event.currentTarget.blur()}
    />
  )
}
