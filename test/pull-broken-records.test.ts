import test from 'ava'

import { exits } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { integer, listOf, object, ref, text } from './resources/plants-contract.js'
import { contract, crud } from './resources/rules-contract.js'

test('pull keeps a record whose nested objects break the contract, and names what it leaves out and makes up', async (t) => {
  const boxesWith = (lid: object) => {
    const Box = object({ id: text, lids: listOf(lid), note: text }, 'id', 'lids')
    const {
      'GET /boxes': list = {},
      'GET /boxes/{id}': read = {},
      'POST /boxes': create = {},
    } = crud('/boxes', { request: object({ note: text }), response: ref('Box') })
    return contract({ 'GET /boxes': list, 'POST /boxes': create, 'GET /boxes/{id}': read }, { Box })
  }
  const write = (document: object): Promise<string> => writeTemporary(t, 'contract.json', document)
  // What the service sends is more than what the contract that it is pulled with allows, and less than it requires.
  const boxes = [{ id: 'b1', lids: [{ name: 'N', colour: 'red' }], note: 'x' }]
  const real = await serve(t, {
    spec: await write(boxesWith(object({ name: text, colour: text }))),
    fixture: { boxes },
  })
  const strict = await write(
    boxesWith({ ...object({ name: text, size: integer }, 'size'), additionalProperties: false }),
  )
  const { stderr, stdout } = await exits(t, 0, ['pull', real.url, strict, '--pace', '10000'])
  t.like(JSON.parse(stdout), { boxes: [{ id: 'b1', lids: [{ name: 'N' }], note: 'x' }] })
  t.regex(stdout, /"size":\d/u)
  t.regex(stderr, /boxes\.lids\.colour\./u)
  t.regex(stderr, /made up .*: boxes\.lids\.size\.$/mu)
})
