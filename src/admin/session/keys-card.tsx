import { useState } from 'react'
import { Checkbox } from '../parts/field.tsx'
import { Card, Facts } from '../parts/page.tsx'
import { areSingleKeysOn, switchSingleKeys } from '../shell/shortcuts.ts'

const KEYS = [
  ['Ctrl K', 'Search, or go to any page'],
  ['/', 'The search of the page'],
  ['j, k', 'The next row, the one before; Enter opens it'],
  ['x', 'Selects the row; with Shift, all from the one before'],
  ['.', 'To what can be done with the selected rows'],
  ['Ctrl Z', 'Puts the last change back, as long as that is offered'],
  ['F8', 'The newest note at the edge of the page'],
  ['Esc', 'Closes what is open'],
] as const

/** What keys do, and the switch for those that are a single letter. */
export function KeysCard() {
  const [isOn, setOn] = useState(areSingleKeysOn)
  return (
    <Card title="Keyboard">
      <Facts facts={KEYS} />
      <Checkbox
        label="Single letters, / and . do something, too, in this browser"
        className="mt-3"
        checked={isOn}
        onChange={({ target }) => {
          switchSingleKeys(target.checked)
          setOn(target.checked)
        }}
      />
    </Card>
  )
}
