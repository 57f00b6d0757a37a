-- A cluster of stars in a box: each draws all others, and a wind blows now and then.
--
-- All state is in the global table `state`, which the host makes, hashes, saves and replaces. Bits
-- do not depend on the machine: only + - * / and sqrt, no ^ (which is libm's pow), and no
-- math.random (which Lua seeds from the time and an address).
--
-- Gets the order in which a star looks at the others. `sequence` is right. `address` goes through a
-- table that has the stars as keys, `name` through one that has their names: planted leaks, for
-- pairs() follows addresses and hashes of strings, which Lua seeds anew in every process.

local order = ...

local half_width = 10.0  -- metres; the box is as high as it is wide
local softness = 0.25    -- square metres; keeps near stars from flinging each other away

local function is_drawn(star, other, dt)
  local x = other.position.x - star.position.x
  local y = other.position.y - star.position.y
  local distance = math.sqrt(x * x + y * y + softness)
  local pull = dt * other.mass / (distance * distance * distance)
  star.velocity.x = star.velocity.x + pull * x
  star.velocity.y = star.velocity.y + pull * y
end

local function is_drawn_by_all(star, dt)
  if order == "sequence" then
    for _, other in ipairs(state.bodies) do
      is_drawn(star, other, dt)
    end
    return
  end
  local stars = {}
  for number, other in ipairs(state.bodies) do
    stars[order == "name" and "star " .. number or other] = other
  end
  for _, other in pairs(stars) do
    is_drawn(star, other, dt)
  end
end

-- Moves along one axis and bounces off the walls.
local function moves(star, axis, low, high, dt)
  local place = star.position[axis] + dt * star.velocity[axis]
  if (place < low and star.velocity[axis] < 0) or (place > high and star.velocity[axis] > 0) then
    star.velocity[axis] = -0.5 * star.velocity[axis]
  else
    star.position[axis] = place
  end
end

-- Uniform from -1 to 1: Knuth's linear congruential generator, of which the upper bits are good.
local function chance()
  state.random = state.random * 6364136223846793005 + 1442695040888963407
  return (state.random >> 40) / 8388608.0 - 1.0
end

local function wind_blows()
  local right, up = chance(), chance()
  for _, star in ipairs(state.bodies) do
    star.velocity.x = star.velocity.x + right
    star.velocity.y = star.velocity.y + up
  end
end

-- `number` counts from 0.
function push(number, right, up)
  local velocity = state.bodies[number + 1].velocity
  velocity.x = velocity.x + right
  velocity.y = velocity.y + up
end

function advance(dt)
  state.ticks = state.ticks + 1
  if state.ticks % 60 == 0 then
    wind_blows()
  end
  for _, star in ipairs(state.bodies) do
    is_drawn_by_all(star, dt)
  end
  for _, star in ipairs(state.bodies) do
    moves(star, "x", -half_width, half_width, dt)
    moves(star, "y", 0.0, 2 * half_width, dt)
  end
end
