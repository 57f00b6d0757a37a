// A game loop before isotick, as INTEGRATING.md shows it. Compiled, so that it stays code.

#include <cstdlib>

double now();
bool window_closed();
void poll_events();
bool up_is_down();
void draw(double height);
int fly();

static double height = 100.0;
static double speed = 0.0;
static double wind = 0.0;
static double fuel = 20.0;

static void update(double dt) {
    wind = (rand() % 201 - 100) * 0.01;
    if (up_is_down() && fuel > 0.0) {
        speed += 4.0 * dt;
        fuel -= dt;
    }
    speed += (wind - 1.62) * dt;
    height += speed * dt;
}

int fly() {
    double before = now();
    double waiting = 0.0;
    while (!window_closed()) {
        poll_events();
        const double time = now();
        waiting += time - before;
        before = time;
        for (; waiting >= 1.0 / 60; waiting -= 1.0 / 60) {
            update(1.0 / 60);
        }
        draw(height + speed * waiting);
    }
    return 0;
}
